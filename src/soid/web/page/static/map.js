// A decision map: the user points, picks and zooms, with the mouse or with the keys.
// The server gets points as shares of the map's frame: [across, down], from 0 to 1.
import { h } from "vue";

const SVG = "http://www.w3.org/2000/svg";
const STILL = 5; // px: less than this is a click
const RING = 6; // px: the mark of a place that is pointed at in another map
const PACE = 60; // ms between two looks while the pointer moves
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export default {
  props: {
    svg: { type: String, default: "" },
    said: { type: String, default: "" }, // for screen readers
    group: { type: String, default: "" }, // maps of one group mark the place that is pointed at in one of them
    steps: { type: Array, default: () => [200, 200] }, // key presses from one side to the other
  },
  emits: ["look", "pick", "zoom"],
  mounted() {
    this.at = [0.5, 0.5];
    this.start = null;
    this.draw();
    document.addEventListener("soid-map", this.follow);
  },
  unmounted() {
    document.removeEventListener("soid-map", this.follow);
    clearTimeout(this.later);
  },
  watch: {
    svg() { this.draw(); },
  },
  methods: {
    draw() {
      clearTimeout(this.later);
      this.$el.innerHTML = this.svg;
      this.start = null;
      const frame = this.frame();
      if (!frame) return;
      this.cross = document.createElementNS(SVG, "path");
      this.cross.setAttribute("class", "map-cross");
      this.ring = document.createElementNS(SVG, "circle");
      this.ring.setAttribute("class", "map-ring");
      this.drawn = document.createElementNS(SVG, "rect");
      this.drawn.setAttribute("class", "soid-drawn-out");
      frame.append(this.cross, this.ring, this.drawn);
    },
    frame() {
      return this.$el.querySelector("[data-left]");
    },
    place() {
      const { left, top, width, height } = this.frame().dataset;
      return [left, top, width, height].map(Number);
    },
    share(event) {
      const drawing = this.$el.querySelector("svg");
      const inside = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
      const [left, top, width, height] = this.place();
      return [(inside.x - left) / width, (inside.y - top) / height];
    },
    inside([x, y]) {
      return x >= 0 && x <= 1 && y >= 0 && y <= 1;
    },
    mark(at, elsewhere) {
      this.at = at;
      const [left, top, width, height] = this.place();
      const [x, y] = [left + at[0] * width, top + at[1] * height];
      this.cross.setAttribute("d", `M${left} ${y}h${width}M${x} ${top}v${height}`);
      this.ring.setAttribute("cx", x);
      this.ring.setAttribute("cy", y);
      this.ring.setAttribute("r", elsewhere ? RING : 0);
    },
    follow({ detail }) {
      if (detail.map === this.$el || detail.group !== this.group || !this.frame()) return;
      clearTimeout(this.later); // what was pointed at here before is no longer asked about
      this.mark(detail.at, true);
    },
    show(at) {
      this.mark(at, false);
      if (this.group) document.dispatchEvent(new CustomEvent("soid-map", { detail: { map: this.$el, group: this.group, at } }));
      clearTimeout(this.later);
      const early = this.looked ? this.looked + PACE - performance.now() : 0;
      if (early > 0) this.later = setTimeout(this.look, early); // the last position is always sent
      else this.look();
    },
    look() {
      this.looked = performance.now();
      this.$emit("look", this.at);
    },
    down(event) {
      if (event.button !== 0 || !this.frame()) return;
      const at = this.share(event);
      if (!this.inside(at)) return;
      this.start = { at, x: event.clientX, y: event.clientY };
      this.$el.setPointerCapture(event.pointerId);
    },
    move(event) {
      if (!this.frame()) return;
      const at = this.share(event).map((each) => Math.min(Math.max(each, 0), 1));
      if (!this.start) {
        if (this.inside(this.share(event))) this.show(at);
        return;
      }
      const [left, top, width, height] = this.place();
      const from = this.start.at;
      this.drawn.setAttribute("x", left + Math.min(at[0], from[0]) * width);
      this.drawn.setAttribute("y", top + Math.min(at[1], from[1]) * height);
      this.drawn.setAttribute("width", Math.abs(at[0] - from[0]) * width);
      this.drawn.setAttribute("height", Math.abs(at[1] - from[1]) * height);
    },
    up(event) {
      const start = this.start;
      if (!start) return;
      this.start = null;
      this.drawn.setAttribute("width", 0);
      const at = this.share(event).map((each) => Math.min(Math.max(each, 0), 1));
      const far = Math.max(Math.abs(event.clientX - start.x), Math.abs(event.clientY - start.y));
      this.looked = 0;
      this.show(at);
      if (far < STILL) this.$emit("pick", at);
      else this.$emit("zoom", { from: start.at, to: at });
    },
    cancel() {
      this.start = null;
      this.drawn?.setAttribute("width", 0);
    },
    key(event) {
      if (!this.frame()) return;
      const arrow = ARROWS[event.key];
      if (arrow) {
        const far = event.shiftKey ? 10 : 1;
        this.looked = 0;
        this.show(this.at.map((each, side) => Math.min(Math.max(each + (arrow[side] * far) / this.steps[side], 0), 1)));
      } else if (event.key === "Enter" || event.key === " ") this.$emit("pick", this.at);
      else return;
      event.preventDefault();
    },
  },
  render() {
    return h("div", {
      class: "map", tabindex: 0, role: "application", "aria-label": this.said,
      onPointerdown: this.down, onPointermove: this.move, onPointerup: this.up, onPointercancel: this.cancel,
      onKeydown: this.key,
    });
  },
};
