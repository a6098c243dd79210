// Markup that the server has made of its own drawings, where every text is escaped.
import { h } from "vue";

export default {
  props: { html: { type: String, default: "" }, tag: { type: String, default: "div" } },
  render() {
    return h(this.tag, { innerHTML: this.html });
  },
};
