// Markup from the server; every text in it is escaped.
import { h } from "vue";

export default {
  props: { html: { type: String, default: "" }, tag: { type: String, default: "div" } },
  render() {
    return h(this.tag, { innerHTML: this.html });
  },
};
