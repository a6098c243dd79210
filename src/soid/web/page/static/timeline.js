// The log as a slider: a native range input, with marks below it where decisions changed.
import { h } from "vue";

const KINDS = { change: "a decision changed", named: "a moment with a name" };

export default {
  props: {
    index: { type: Number, default: 0 },
    last: { type: Number, default: 0 }, // index of the last step
    marks: { type: Array, default: () => [] }, // {at, label, kind}
    said: { type: String, default: "" }, // the step in words
  },
  emits: ["seek"],
  data() {
    return { at: this.index };
  },
  created() {
    this.told = []; // steps sent to the server, in order; it may echo them late
  },
  watch: {
    index(now) {
      const said = this.told.indexOf(now);
      this.told = said < 0 ? [] : this.told.slice(said + 1);
      if (!this.told.length) this.at = now;
    },
  },
  methods: {
    moved(event) {
      this.at = Number(event.target.value);
      this.told.push(this.at);
      this.$emit("seek", this.at);
    },
    // The thumb's centre does not reach the ends of the track: half of its width is left on both sides.
    place(at) {
      const share = this.last ? at / this.last : 0;
      return { left: `calc(${share} * (100% - 20px) + 10px)` };
    },
  },
  render() {
    const slider = h("input", {
      type: "range", min: 0, max: this.last, step: 1, value: this.at, class: "slider",
      "aria-label": "Moment of the log", "aria-valuetext": this.said, onInput: this.moved,
    });
    const marks = this.marks.map((mark) =>
      h("button", {
        type: "button", key: mark.at, class: ["mark", mark.kind, mark.at === this.at ? "here" : ""], style: this.place(mark.at),
        title: mark.label, "aria-label": `Go to ${mark.label}`, onClick: () => this.$emit("seek", mark.at),
      }));
    const kinds = Object.keys(KINDS).filter((kind) => this.marks.some((mark) => mark.kind === kind));
    const legend = kinds.map((kind) => h("span", { key: kind }, [h("span", { class: ["sign", kind] }), KINDS[kind]]));
    return h("div", { class: "timeline" }, [
      slider, h("div", { class: "marks" }, marks), h("div", { class: "legend", "aria-hidden": "true" }, legend), // the marks have labels of their own
    ]);
  },
};
