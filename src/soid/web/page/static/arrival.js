// In what has just come onto the page: brought into sight for whoever has pressed a button for it, and for nobody else.
import { h } from "vue";

export default {
  mounted() {
    const at = document.activeElement;
    const waits = !at || at === document.body || at.tagName === "BUTTON"; // who types or drags meanwhile is not disturbed
    if (waits) this.$el.parentElement.scrollIntoView({ block: "nearest" });
  },
  render() {
    return h("span", { hidden: true });
  },
};
