// A film: fact and scenario side by side, forward in time; the user plays it, or steps through it with the mouse or the keys.
// Where the system asks for less motion nothing plays by itself: then it is stepped through.
import { h } from "vue";

const PACE = 350; // ms for each step

export default {
  props: {
    stages: { type: Array, default: () => [] }, // {where, svg, frames: [{called, events, overlaps}], ends}
    about: { type: String, default: "" }, // for screen readers
  },
  data() {
    return { at: 0, playing: false, still: false };
  },
  created() {
    this.motion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.moved();
    this.motion.addEventListener("change", this.moved);
  },
  mounted() {
    this.draw();
  },
  unmounted() {
    this.motion.removeEventListener("change", this.moved);
    clearTimeout(this.later);
  },
  watch: {
    at() { this.show(); },
    stages() { this.draw(); },
  },
  computed: {
    last() { return Math.max(...this.stages.map((stage) => stage.frames.length)) - 1; },
    called() { return this.stages.find((stage) => this.at < stage.frames.length).frames[this.at].called; },
    said() { return [this.called, ...this.stages.map((stage) => `${stage.where}: ${this.happens(stage) || "nothing"}`)].join(". "); },
  },
  methods: {
    moved() {
      this.still = this.motion.matches;
      if (this.still) this.pause();
    },
    draw() {
      this.stages.forEach((stage, number) => { this.$refs[`stage${number}`].innerHTML = stage.svg; });
      this.show();
    },
    show() {
      this.stages.forEach((stage, number) => {
        const shown = Math.min(this.at, stage.frames.length - 1);
        for (const frame of this.$refs[`stage${number}`].querySelectorAll("[data-frame]")) {
          if (Number(frame.dataset.frame) === shown) frame.removeAttribute("display");
          else frame.setAttribute("display", "none");
        }
      });
    },
    happens(stage) {
      if (this.at >= stage.frames.length) return stage.ends;
      const { events, overlaps } = stage.frames[this.at];
      return [...events, ...overlaps].join("; ");
    },
    go(at) {
      this.pause();
      this.at = Math.min(Math.max(at, 0), this.last);
    },
    pause() {
      clearTimeout(this.later);
      this.playing = false;
    },
    toggle() {
      if (this.playing) return this.pause();
      if (this.at === this.last) this.at = 0;
      this.playing = true;
      this.later = setTimeout(this.on, PACE);
    },
    on() {
      this.at += 1;
      if (this.at >= this.last) this.pause();
      else this.later = setTimeout(this.on, PACE);
    },
    stage(stage, number) {
      const over = this.at >= stage.frames.length;
      const called = over ? [h("span", { class: "dim" }, stage.ends)] : [
        h("span", stage.frames[this.at].called),
        ...stage.frames[this.at].events.map((event) => h("span", { class: "event" }, `: ${event}`)),
      ];
      return h("figure", { key: stage.where, class: over ? "over" : "" }, [
        h("figcaption", stage.where), h("div", { ref: `stage${number}` }), h("p", { class: "called" }, called),
        over ? null : h("p", { class: "dim" }, stage.frames[this.at].overlaps.join("; ")),
      ]);
    },
    // The thumb's centre does not reach the ends of the track: half of its width is left on both sides.
    place(at) {
      return { left: `calc(${this.last ? at / this.last : 0} * (100% - 20px) + 10px)` };
    },
    marks(stage) {
      const told = stage.frames.map((frame) => frame.events.join("; "));
      const begun = stage.frames.map((_, at) => at).filter((at) => told[at] && told[at] !== told[at - 1]); // not what goes on
      const marks = begun.map((at) => [at, `${stage.frames[at].called}: ${told[at]}`]);
      return [
        h("span", { "aria-hidden": "true" }, stage.where),
        h("div", { class: "marks" }, marks.map(([at, label]) => h("button", {
          type: "button", class: "mark", style: this.place(at), title: label,
          "aria-label": `${stage.where}, go to ${label}`, onClick: () => this.go(at),
        }))),
      ];
    },
  },
  render() {
    const step = (text, label, by) => h("button", { type: "button", class: "button", "aria-label": label, onClick: () => this.go(this.at + by) }, text);
    const play = h("button", { type: "button", class: "button", onClick: this.toggle, "aria-label": this.playing ? "Pause the film" : "Play the film" },
      this.playing ? "❚❚ Pause" : "▶ Play");
    const less = h("span", { class: "dim" }, "It does not play by itself: your system asks for less motion.");
    return h("div", { class: "film", role: "group", "aria-label": this.about }, [
      h("div", { class: "stages" }, this.stages.map(this.stage)),
      h("div", { class: "line" }, [
        h("span"),
        h("input", {
          type: "range", class: "slider", min: 0, max: this.last, step: 1, value: this.at, "aria-label": "Step of the film",
          "aria-valuetext": this.said, onInput: (event) => this.go(Number(event.target.value)),
        }),
        ...this.stages.flatMap(this.marks),
      ]),
      h("div", { class: "row" }, [
        step("◀ Step", "One step of the film back", -1), this.still ? less : play, step("Step ▶", "One step of the film on", 1),
      ]),
    ]);
  },
};
