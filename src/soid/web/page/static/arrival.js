// Scrolls its parent into view when it appears, if the user has just pressed a button and does nothing else; then also
// what it belongs `under`, which is more important where there is no room for both.
import { h } from "vue";

export default {
  props: { under: { type: String, default: "" } }, // a selector
  mounted() {
    const at = document.activeElement;
    const waits = !at || at === document.body || at.tagName === "BUTTON"; // a user who types or drags is not disturbed
    if (!waits) return;
    this.$el.parentElement.scrollIntoView({ block: "nearest" });
    if (this.under) document.querySelector(this.under)?.scrollIntoView({ block: "nearest" });
  },
  render() {
    return h("span", { hidden: true });
  },
};
