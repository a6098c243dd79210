// Scrolls its parent into view when it appears, if the user has just pressed a button and does nothing else.
import { h } from "vue";

export default {
  mounted() {
    const at = document.activeElement;
    const waits = !at || at === document.body || at.tagName === "BUTTON"; // a user who types or drags is not disturbed
    if (waits) this.$el.parentElement.scrollIntoView({ block: "nearest" });
  },
  render() {
    return h("span", { hidden: true });
  },
};
