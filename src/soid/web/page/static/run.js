// A run that is played, halted and scrubbed: while it moves, a film; where it is halted, what is inside (the stage).
// Where the system asks for less motion nothing plays by itself: then it is stepped through.
import { h } from "vue";

const PACE = 200; // ms for each step
const SETTLES = 150; // ms after which a slider that is dragged rests

export default {
  props: {
    film: { type: Object, default: () => ({ svg: "", frames: [] }) }, // frames: {called, events, by_hand, said, at}
    shown: { type: Number, default: 0 }, // the step that is inside
    round: { type: Number, default: 0 }, // grows when the server halts it there
    what: { type: String, default: "run" },
  },
  emits: ["halt"],
  data() {
    return { at: this.shown, playing: false, still: false };
  },
  created() {
    this.motion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.moved();
    this.motion.addEventListener("change", this.moved);
  },
  mounted() { this.draw(); },
  unmounted() {
    this.motion.removeEventListener("change", this.moved);
    clearTimeout(this.later);
    clearTimeout(this.resting);
  },
  watch: {
    at() { this.put(); },
    film() { this.draw(); },
    playing(now) { // what is changed is changed where the run is halted
      for (const settings of this.$el.closest(".live").querySelectorAll(".settings")) settings.inert = now;
    },
    round() {
      this.pause();
      this.at = this.shown;
    },
  },
  computed: {
    last() { return this.film.frames.length - 1; },
    frame() { return this.film.frames[Math.min(this.at, this.last)]; },
    moves() { return this.playing || this.at !== this.shown; },
    told() { return this.frame ? [...this.frame.by_hand, ...this.frame.events, ...this.frame.said] : []; },
  },
  methods: {
    moved() {
      this.still = this.motion.matches;
      if (this.still && this.playing) this.halt();
    },
    draw() {
      this.$refs.film.innerHTML = this.film.svg;
      this.looks = [...this.$refs.film.querySelectorAll("[data-look]")];
      this.put();
    },
    put() {
      if (!this.looks || !this.frame) return;
      const places = new Map(this.frame.at.map(([look, ...place]) => [look, place]));
      this.looks.forEach((drawn, look) => {
        const place = places.get(look);
        if (!place) return drawn.setAttribute("display", "none");
        drawn.removeAttribute("display");
        drawn.setAttribute("transform", `translate(${place[0]} ${place[1]})`);
        drawn.firstElementChild.setAttribute("transform", `rotate(${place[2]})`);
        const [back, turned] = [Number(drawn.dataset.back), (place[2] * Math.PI) / 180]; // behind the windscreen
        drawn.lastElementChild.setAttribute("transform", `translate(${-back * Math.cos(turned)} ${-back * Math.sin(turned)})`);
      });
    },
    pause() {
      clearTimeout(this.later);
      clearTimeout(this.resting);
      this.playing = false;
    },
    halt() {
      this.pause();
      if (this.at !== this.shown) this.$emit("halt", this.at);
    },
    go(at) {
      this.pause();
      this.at = Math.min(Math.max(at, 0), this.last);
      this.halt();
    },
    drag(event) {
      this.pause();
      this.at = Number(event.target.value);
      this.resting = setTimeout(this.halt, SETTLES);
    },
    toggle() {
      if (this.playing) return this.halt();
      if (this.at >= this.last) this.at = 0;
      this.playing = true;
      this.later = setTimeout(this.on, PACE);
    },
    on() {
      this.at += 1;
      if (this.at >= this.last) this.halt();
      else this.later = setTimeout(this.on, PACE);
    },
    place(at) { // the thumb's centre does not reach the ends of the track
      return { left: `calc(${this.last ? at / this.last : 0} * (100% - 20px) + 10px)` };
    },
    marks() {
      return this.film.frames.flatMap(({ called, events, by_hand }, at) => [[events, "mark"], [by_hand, "mark hand"]]
        .filter(([told]) => told.length)
        .map(([told, kind]) => h("button", {
          type: "button", key: `${kind} ${at}`, class: kind, style: this.place(at), title: `${called}: ${told.join("; ")}`,
          "aria-label": `Go to ${called}: ${told.join("; ")}`, onClick: () => this.go(at),
        })));
    },
  },
  render() {
    const step = (text, label, by) => h("button", { type: "button", class: "button", "aria-label": label, onClick: () => this.go(this.at + by) }, text);
    const play = h("button", { type: "button", class: "button", onClick: this.toggle, "aria-label": `${this.playing ? "Pause" : "Play"} the ${this.what}` },
      this.playing ? "❚❚ Pause" : "▶ Play");
    const less = h("span", { class: "dim" }, "It does not play by itself: your system asks for less motion.");
    const called = this.frame ? this.frame.called : "";
    return h("div", { class: ["film", "run", this.moves ? "moves" : ""] }, [
      h("div", { class: "moving", ref: "film", "aria-hidden": "true" }),
      h("div", { class: "halted" }, this.$slots.default?.()),
      h("p", { class: "called", role: "status", "aria-live": this.playing ? "off" : "polite" }, [
        h("b", called), ...this.told.map((each, at) => h("span", { class: at < this.told.length - this.frame.said.length ? "event" : "" }, `${at ? "; " : ": "}${each}`)),
      ]),
      h("div", { class: "line" }, [
        h("span"),
        h("input", {
          type: "range", class: "slider", min: 0, max: this.last, step: 1, value: this.at, "aria-label": `Step of the ${this.what}`,
          "aria-valuetext": [called, ...this.told].join(", "), onInput: this.drag,
        }),
        h("span"), h("div", { class: "marks" }, this.marks()),
      ]),
      h("div", { class: "row" }, [
        step("◀ Step", `One step of the ${this.what} back`, -1), this.still ? less : play, step("Step ▶", `One step of the ${this.what} on`, 1),
      ]),
    ]);
  },
};
