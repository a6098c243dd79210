// Keeps what is added last to the list before it in sight. Only the list scrolls, not the page.
import { h } from "vue";

export default {
  mounted() {
    const list = this.$el.previousElementSibling;
    let count = list.children.length;
    this.observer = new MutationObserver(() => {
      if (list.children.length > count) list.scrollTop = list.scrollHeight;
      count = list.children.length;
    });
    this.observer.observe(list, { childList: true });
  },
  unmounted() {
    this.observer.disconnect();
  },
  render() {
    return h("span", { hidden: true });
  },
};
