// A drawing as wide as there is room: its box says how wide it is, and the server draws it so.
import { h } from "vue";

const RESIZED = 12; // px that make another drawing worth it

export default {
  props: { svg: { type: String, default: "" } },
  emits: ["sized"],
  mounted() {
    this.observer = new ResizeObserver(() => {
      clearTimeout(this.later);
      this.later = setTimeout(this.measure, this.width ? 150 : 0);
    });
    this.observer.observe(this.$el);
    this.measure();
  },
  unmounted() {
    this.observer.disconnect();
    clearTimeout(this.later);
  },
  methods: {
    measure() {
      const width = this.$el.clientWidth;
      if (!width || Math.abs(width - (this.width || 0)) < RESIZED) return;
      this.width = width;
      this.$emit("sized", width);
    },
  },
  render() {
    return h("div", { innerHTML: this.svg });
  },
};
