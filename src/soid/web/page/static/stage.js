// The drawing with handles: actors are dragged, turned, or moved with the keys.
// The server gets points as shares of the panel: [across, down], from 0 to 1.
import { h } from "vue";

const SVG = "http://www.w3.org/2000/svg";
const STILL = 4; // px: a shorter drag is a click; along one axis, no movement
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export default {
  props: {
    svg: { type: String, default: "" },
    stretching: Boolean, // dragging draws out a stretch instead of moving to a point
    chosen: { type: String, default: "" }, // the actor of a stretch that starts outside of all handles
  },
  emits: ["choose", "move", "stretch", "nudge", "putback"],
  mounted() {
    this.dragging = null;
    this.draw();
  },
  watch: {
    svg() { if (!this.dragging) this.draw(); },
  },
  methods: {
    draw() {
      const held = document.activeElement?.closest?.("[data-handle]");
      const key = held && this.$el.contains(held) ? [held.dataset.handle, held.dataset.grip] : null;
      this.$el.innerHTML = this.svg;
      if (key) this.$el.querySelector(`[data-handle="${CSS.escape(key[0])}"][data-grip="${key[1]}"]`)?.focus();
    },
    panel() {
      return this.$el.querySelector("[data-panel]");
    },
    point(event) {
      const drawing = this.$el.querySelector("svg");
      const inside = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
      return [inside.x, inside.y];
    },
    share([x, y]) {
      const { left, top, width, height } = this.panel().dataset;
      return [(x - left) / width, (y - top) / height];
    },
    down(event) {
      if (event.button !== 0 || !this.panel()) return;
      const handle = event.target.closest?.("[data-handle]");
      const start = this.point(event);
      const [across, below] = this.share(start);
      const inside = across >= 0 && across <= 1 && below >= 0 && below <= 1;
      const stretch = (this.stretching || event.shiftKey) && handle?.dataset.grip !== "heading";
      if (!handle && !(stretch && inside && this.chosen)) return;
      event.preventDefault();
      handle?.focus();
      const kind = stretch ? "stretch" : handle.dataset.grip === "heading" ? "turn" : "move";
      const mark = handle ? handle.dataset.handle : this.chosen;
      const centre = handle ? [Number(handle.dataset.x), Number(handle.dataset.y)] : start;
      this.dragging = { kind, mark, handle, start, centre, now: start, preview: this.preview(kind, centre) };
      this.$el.setPointerCapture(event.pointerId);
    },
    preview(kind, [x, y]) {
      if (kind === "move") return null;
      const shape = document.createElementNS(SVG, kind === "turn" ? "line" : "rect");
      shape.setAttribute("class", "soid-drawn-out");
      if (kind === "turn") for (const name of ["x1", "x2"]) shape.setAttribute(name, x);
      if (kind === "turn") for (const name of ["y1", "y2"]) shape.setAttribute(name, y);
      this.panel().append(shape);
      return shape;
    },
    moved(drag) {
      return [Math.abs(drag.now[0] - drag.start[0]) >= STILL, Math.abs(drag.now[1] - drag.start[1]) >= STILL];
    },
    target(drag) {
      const along = this.moved(drag);
      return [0, 1].map((side) => drag.centre[side] + (along[side] ? drag.now[side] - drag.start[side] : 0));
    },
    move(event) {
      const drag = this.dragging;
      if (!drag) return;
      drag.now = this.point(event);
      const [x, y] = this.target(drag);
      if (drag.kind === "move") {
        const body = this.$el.querySelector(`[data-actor="${CSS.escape(drag.mark)}"]:last-of-type`);
        for (const shape of [drag.handle, body]) {
          if (shape) shape.style.transform = `translate(${x - drag.centre[0]}px, ${y - drag.centre[1]}px)`;
        }
      } else if (drag.kind === "turn") {
        drag.preview.setAttribute("x2", drag.now[0]);
        drag.preview.setAttribute("y2", drag.now[1]);
      } else {
        drag.preview.setAttribute("x", Math.min(x, drag.centre[0]));
        drag.preview.setAttribute("y", Math.min(y, drag.centre[1]) - 2);
        drag.preview.setAttribute("width", Math.abs(x - drag.centre[0]));
        drag.preview.setAttribute("height", Math.abs(y - drag.centre[1]) + 4);
      }
    },
    up() {
      const drag = this.dragging;
      if (!drag) return;
      this.dragging = null;
      const along = this.moved(drag);
      const first = drag.handle ? null : this.share(drag.centre); // null: from the actor's own place, which the server knows exactly
      const last = this.share(this.target(drag));
      if (!along[0] && !along[1]) this.$emit("choose", drag.mark);
      else if (drag.kind === "move") this.$emit("move", { mark: drag.mark, grip: "position", to: last, along });
      else if (drag.kind === "turn") this.$emit("move", { mark: drag.mark, grip: "heading", to: this.share(drag.now), along });
      else this.$emit("stretch", { mark: drag.mark, from: first, to: last, along });
      this.draw(); // the actor goes back until the server draws it in its new place
    },
    cancel() {
      this.dragging = null;
      this.draw();
    },
    key(event) {
      const handle = event.target.closest?.("[data-handle]");
      if (!handle) return;
      const { handle: mark, grip } = handle.dataset;
      const arrow = ARROWS[event.key];
      if (arrow) this.$emit("nudge", { mark, grip, by: arrow, shift: event.shiftKey });
      else if (event.key === "Escape") this.$emit("putback", { mark, grip });
      else if (event.key === "Enter" || event.key === " ") this.$emit("choose", mark);
      else return;
      event.preventDefault();
    },
  },
  render() {
    return h("div", {
      class: ["stage", this.stretching ? "stretching" : ""],
      onPointerdown: this.down, onPointermove: this.move, onPointerup: this.up, onPointercancel: this.cancel,
      onKeydown: this.key,
    });
  },
};
