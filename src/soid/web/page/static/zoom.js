// A large drawing: as wide as there is room, or larger, and then it is scrolled, with the mouse or the keys.
import { h } from "vue";

const STEP = 1.4;
const LARGEST = 4; // times its own size

export default {
  props: {
    svg: { type: String, default: "" },
    called: { type: String, default: "" },
  },
  data() {
    return { scale: 0 }; // of its own size; 0: as wide as there is room
  },
  mounted() { this.draw(); },
  watch: {
    svg() { this.draw(); },
    scale() { this.size(); },
  },
  methods: {
    draw() {
      this.$refs.drawing.innerHTML = this.svg;
      this.size();
    },
    drawing() { return this.$refs.drawing.querySelector("svg"); },
    own() { return this.drawing()?.viewBox.baseVal.width || 1; },
    now() { return this.scale || this.$refs.drawing.clientWidth / this.own(); },
    size() {
      const drawing = this.drawing();
      if (!drawing) return;
      drawing.style.width = this.scale ? `${this.own() * this.scale}px` : "100%";
      drawing.style.maxWidth = "none";
      drawing.style.height = "auto";
    },
    zoom(by) { this.scale = Math.min(this.now() * by, LARGEST); },
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "+" || event.key === "=") this.zoom(STEP);
      else if (event.key === "-") this.zoom(1 / STEP);
      else if (event.key === "0") this.scale = 0;
      else return;
      event.preventDefault();
    },
  },
  render() {
    const button = (text, label, act) => h("button", { type: "button", class: "button small", "aria-label": label, onClick: act }, text);
    return h("div", { class: "zoomed" }, [
      h("div", { class: "row" }, [
        button("+", "Larger", () => this.zoom(STEP)), button("−", "Smaller", () => this.zoom(1 / STEP)),
        button("As it was drawn", "As it was drawn", () => { this.scale = 1; }), button("All of it", "All of it", () => { this.scale = 0; }),
      ]),
      h("div", { class: "drawing", ref: "drawing", tabindex: 0, role: "region", "aria-label": `${this.called}; + and - make it larger and smaller`, onKeydown: this.key }),
    ]);
  },
};
