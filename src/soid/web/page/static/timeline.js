// The log: a native range input, marks where decisions changed, and a plot with a cursor at the moment.
// The cursor moves at once; the server hears of the last place only, and draws the plot anew only for another part of it.
import { h } from "vue";

const KINDS = { change: "a decision changed", named: "a moment with a name" };
const PATIENCE = 1500; // ms after which a step that the server never echoed is given up
const RESIZED = 16; // px: a smaller change of the width draws nothing anew
const STILL = 5; // px: with Shift, a shorter drag zooms into nothing
const PAGE = 0.1; // of the view, for Page Up and Page Down
const ZOOM = { "+": 0.5, "=": 0.5, "-": 2 };

export default {
  props: {
    index: { type: Number, default: 0 },
    last: { type: Number, default: 0 }, // index of the last step
    first: { type: Number, default: 0 }, // number of the first step
    step: { type: Number, default: 0 }, // number of the step at index
    dense: Boolean, // the numbers of the steps have no gaps
    marks: { type: Array, default: () => [] }, // {at, label, kind}
    said: { type: String, default: "" }, // the step at index in words, with its time if the log has one
    svg: { type: String, default: "" },
    unfolded: Boolean, // the plot, at first
    values: { type: Object, default: () => ({}) }, // what the drawn variables are at the moment, by name
  },
  emits: ["seek", "step", "zoom", "change", "sized"],
  data() {
    return { at: this.index, frame: null, dragged: null, open: this.unfolded };
  },
  created() {
    this.sent = null; // the index that the server has not echoed yet
    this.next = null; // the one to send after it
  },
  mounted() {
    this.draw();
    this.observer = new ResizeObserver(() => {
      clearTimeout(this.later);
      this.later = setTimeout(this.measure, this.width ? 150 : 0);
    });
    this.observer.observe(this.$el); // which is as wide as the plot, and never folded
  },
  unmounted() {
    this.observer.disconnect();
    clearTimeout(this.later);
    clearTimeout(this.lost);
  },
  watch: {
    index() { this.echoed(); },
    svg() { this.draw(); },
    values() { this.write(); },
    number() { this.point(); },
    told() { this.point(); },
  },
  computed: {
    number() { return this.dense ? this.first + this.at : this.step; },
    told() { return this.dense && this.at !== this.index ? `step ${this.number}` : this.said; }, // the server knows the time
    across() {
      const { left, width, first, last, wide } = this.frame;
      return (left + ((this.number - first + 0.5) / (last - first + 1)) * width) / wide;
    },
    inView() { return this.frame && this.number >= this.frame.first && this.number <= this.frame.last; },
  },
  methods: {
    measure() {
      const width = this.$el.clientWidth;
      if (!width || Math.abs(width - (this.width || 0)) < RESIZED) return;
      this.width = width;
      this.$emit("sized", width);
    },
    draw() {
      this.$refs.figure.innerHTML = this.svg;
      const drawn = this.$refs.figure.querySelector("[data-left]");
      if (!drawn) return;
      const size = this.$refs.figure.querySelector("svg").viewBox.baseVal;
      const named = Object.entries(drawn.dataset).map(([name, text]) => [name, Number(text)]);
      this.frame = { ...Object.fromEntries(named), wide: size.width, high: size.height };
      this.write();
      this.point();
    },
    toggled(event) {
      this.open = event.target.open;
      this.point(); // the width of its words is known only now
    },
    write() {
      for (const place of this.$refs.figure.querySelectorAll("[data-now]")) place.textContent = this.values[place.dataset.now] ?? "";
    },
    // The line lies in the drawing, below its words; the cursor that has the focus lies above, and shows nothing else.
    point() {
      const line = this.$refs.figure.querySelector("[data-cursor]");
      if (!line) return;
      line.style.visibility = this.inView ? "visible" : "hidden";
      const x = this.inView ? this.across * this.frame.wide : 0;
      if (this.inView) line.setAttribute("transform", `translate(${x} 0)`);
      const moment = this.$refs.figure.querySelector("[data-moment]");
      if (!moment) return;
      moment.textContent = this.inView ? this.told : "";
      const half = moment.getComputedTextLength() / 2;
      moment.setAttribute("x", Math.min(Math.max(x, half), this.frame.wide - half));
    },
    // --- the moment
    go(index) {
      this.at = Math.min(Math.max(index, 0), this.last);
      if (this.sent !== null) this.next = this.at;
      else if (this.at !== this.index) this.send(this.at);
    },
    send(index) {
      this.sent = index;
      this.next = null;
      clearTimeout(this.lost);
      this.lost = setTimeout(this.echoed, PATIENCE);
      this.$emit("seek", index);
    },
    echoed() {
      clearTimeout(this.lost);
      this.sent = null;
      if (this.next !== null && this.next !== this.index) this.send(this.next);
      else this.at = this.index;
      this.next = null;
    },
    goto(number) {
      if (this.dense) this.go(number - this.first);
      else this.$emit("step", number);
    },
    // --- the plot
    under(event) {
      const box = this.$refs.figure.getBoundingClientRect();
      const { left, width, first, last, wide } = this.frame;
      const share = (((event.clientX - box.left) / box.width) * wide - left) / width;
      return Math.min(Math.max(first + Math.floor(share * (last - first + 1)), first), last);
    },
    down(event) {
      if (event.button !== 0 || !this.frame) return;
      event.preventDefault();
      this.$refs.cursor?.focus({ preventScroll: true });
      this.$refs.plot.setPointerCapture(event.pointerId);
      this.dragged = { zooms: event.shiftKey, x: event.clientX, from: this.under(event), to: this.under(event) };
      if (!event.shiftKey) this.goto(this.dragged.from);
    },
    move(event) {
      if (!this.dragged) return;
      this.dragged = { ...this.dragged, to: this.under(event) };
      if (!this.dragged.zooms) this.goto(this.dragged.to);
    },
    up(event) {
      const drag = this.dragged;
      this.dragged = null;
      if (drag?.zooms && Math.abs(event.clientX - drag.x) >= STILL) {
        this.$emit("zoom", { first: Math.min(drag.from, drag.to), last: Math.max(drag.from, drag.to) });
      }
    },
    key(event) {
      if (event.ctrlKey || event.altKey || event.metaKey || !this.frame) return;
      const page = Math.max(Math.round((this.frame.last - this.frame.first + 1) * PAGE), 1);
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (by) this.go(this.at + (event.shiftKey ? by * 10 : by));
      else if (event.key === "PageUp") this.goto(this.number + page);
      else if (event.key === "PageDown") this.goto(this.number - page);
      else if (event.key === "Home") this.goto(this.frame.first);
      else if (event.key === "End") this.goto(this.frame.last);
      else if (event.key in ZOOM) this.$emit("zoom", { by: ZOOM[event.key] });
      else if (event.key === "0") this.$emit("zoom", {});
      else if (event.key === "n" || event.key === "p") this.$emit("change", event.key === "n");
      else return;
      event.preventDefault();
    },
    // The thumb's centre does not reach the ends of the track: half of its width is left on both sides.
    place(at) {
      const share = this.last ? at / this.last : 0;
      return { left: `calc(${share} * (100% - 20px) + 10px)` };
    },
    stretch() {
      const { left, width, first, last, wide } = this.frame;
      const [from, to] = [this.dragged.from, this.dragged.to].sort((a, b) => a - b);
      const part = (number) => (left + ((number - first) / (last - first + 1)) * width) / wide;
      return { left: `${part(from) * 100}%`, width: `${(part(to + 1) - part(from)) * 100}%` };
    },
    overlay() {
      if (!this.frame) return [];
      const { top, bottom, high } = this.frame;
      const upright = { top: `${(top / high) * 100}%`, height: `${((bottom - top) / high) * 100}%` };
      const cursor = h("div", {
        ref: "cursor", key: "cursor", class: "cursor", role: "slider", tabindex: 0,
        style: { ...upright, left: `${(this.inView ? this.across : this.number < this.frame.first ? 0 : 1) * 100}%` },
        "aria-label": "Moment in the plot", "aria-valuemin": this.frame.first, "aria-valuemax": this.frame.last,
        "aria-valuenow": Math.min(Math.max(this.number, this.frame.first), this.frame.last), "aria-valuetext": this.told,
        "aria-describedby": "plot-keys", onKeydown: this.key,
      });
      const zooms = this.dragged?.zooms ? [h("div", { key: "stretch", class: "stretched", style: { ...upright, ...this.stretch() } })] : [];
      return [cursor, ...zooms];
    },
  },
  render() {
    const slider = h("input", {
      type: "range", min: 0, max: this.last, step: 1, value: this.at, class: "slider",
      "aria-label": "Moment of the log", "aria-valuetext": this.said, onInput: (event) => this.go(Number(event.target.value)),
    });
    const marks = this.marks.map((mark) =>
      h("button", {
        type: "button", key: mark.at, class: ["mark", mark.kind, mark.at === this.at ? "here" : ""], style: this.place(mark.at),
        title: mark.label, "aria-label": `Go to ${mark.label}`, onClick: () => this.go(mark.at),
      }));
    const kinds = Object.keys(KINDS).filter((kind) => this.marks.some((mark) => mark.kind === kind));
    const legend = kinds.map((kind) => h("span", { key: kind }, [h("span", { class: ["sign", kind] }), KINDS[kind]]));
    const plot = h("div", {
      ref: "plot", class: "plot", onPointerdown: this.down, onPointermove: this.move, onPointerup: this.up,
      onPointercancel: () => { this.dragged = null; },
    }, [h("div", { ref: "figure", key: "figure" }), ...this.overlay()]);
    return h("div", { class: "timeline" }, [
      slider, h("div", { class: "marks" }, marks),
      h("div", { class: "legend", "aria-hidden": "true" }, legend), // the marks have labels of their own
      h("details", { class: "plot-fold", open: this.open, onToggle: this.toggled }, [
        h("summary", "The log as a plot"), plot, this.$slots.default?.(),
      ]),
    ]);
  },
};
