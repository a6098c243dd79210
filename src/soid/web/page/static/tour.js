// A tour of the page: a few words beside one part after the other, which is marked. It is offered once, and begins only
// when it is asked for; whoever takes it, skips it or declines is not asked again.
import { h } from "vue";

const KEY = "soid-tour";
const GAP = 10; // px between a part and what is said about it
const MARGIN = 8; // px to the edge of the window

function remembered() {
  try { return localStorage.getItem(KEY) !== null; } catch { return true; } // a browser that keeps nothing is not asked
}

function remember() {
  try { localStorage.setItem(KEY, "seen"); } catch { /* it was not offered */ }
}

export default {
  props: { stops: { type: Array, default: () => [] }, begun: Boolean },
  data() {
    return { offered: !this.begun && !remembered(), at: -1, there: [], box: null, place: {} };
  },
  mounted() {
    window.addEventListener("scroll", this.follow, true);
    window.addEventListener("resize", this.follow);
    if (this.begun) this.$nextTick(this.begin);
  },
  unmounted() {
    window.removeEventListener("scroll", this.follow, true);
    window.removeEventListener("resize", this.follow);
  },
  methods: {
    begin() {
      this.opener = document.activeElement;
      this.offered = false;
      remember();
      const address = new URL(location.href);
      if (address.searchParams.delete("tour") || this.begun) history.replaceState(history.state, "", address); // not again by a reload
      this.there = this.stops.filter(([part]) => document.querySelector(part)?.getClientRects().length);
      this.go(0);
    },
    decline() {
      this.offered = false;
      remember();
    },
    end() {
      this.at = -1;
      const back = this.opener?.isConnected && this.opener !== document.body ? this.opener : document.querySelector("#guided button");
      back?.focus({ preventScroll: true });
    },
    go(to) {
      if (to >= this.there.length) return this.end();
      this.at = Math.max(to, 0);
      const part = document.querySelector(this.there[this.at][0]);
      if (!part) return this.go(this.at + 1); // it is gone since
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const high = part.getBoundingClientRect().height > innerHeight * 0.6;
      part.scrollIntoView({ block: high ? "start" : "center", behavior: still ? "auto" : "smooth" });
      this.$nextTick(() => { this.follow(); this.$refs.next?.focus({ preventScroll: true }); });
    },
    follow() {
      const part = this.at < 0 ? null : document.querySelector(this.there[this.at][0]);
      if (!part) return;
      const { left, top, width, height } = part.getBoundingClientRect();
      this.box = { left: `${left - 4}px`, top: `${top - 4}px`, width: `${width + 8}px`, height: `${height + 8}px` };
      this.place = this.beside({ left, top, right: left + width, bottom: top + height });
    },
    beside(part) { // below, above, to the right, to the left: where there is room; on a phone at the bottom
      const card = this.$refs.card?.getBoundingClientRect();
      if (!card || innerWidth < 600) return {};
      const within = (at, size, most) => `${Math.min(Math.max(at, MARGIN), Math.max(most - size - MARGIN, MARGIN))}px`;
      const level = within(Math.max(part.top, MARGIN), card.height, innerHeight);
      if (part.bottom + GAP + card.height < innerHeight) return { left: within(part.left, card.width, innerWidth), top: `${part.bottom + GAP}px` };
      if (part.right + GAP + card.width < innerWidth) return { left: `${part.right + GAP}px`, top: level };
      if (part.left - GAP - card.width > 0) return { left: `${part.left - GAP - card.width}px`, top: level };
      return { left: within(part.left, card.width, innerWidth), top: within(part.top - GAP - card.height, card.height, innerHeight) };
    },
    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") this.end();
      else if (step) this.go(this.at + step);
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
    button(said, clicked, classes = "small", more = {}) {
      return h("button", { type: "button", class: `button ${classes}`, onClick: clicked, ...more }, said);
    },
  },
  render() {
    if (this.at >= 0) {
      const [, title, words] = this.there[this.at];
      const last = this.at === this.there.length - 1;
      const buttons = [
        h("span", { class: "dim" }, `${this.at + 1} of ${this.there.length}`),
        h("span", { class: "spacer" }),
        last ? null : this.button("Skip the tour", this.end),
        this.at ? this.button("Back", () => this.go(this.at - 1)) : null,
        this.button(last ? "Done" : "Next", () => this.go(this.at + 1), "small go", { ref: "next", "aria-describedby": "tour-words" }),
      ];
      const card = { class: "tour-card", ref: "card", style: this.place, role: "dialog", "aria-labelledby": "tour-title", onKeydown: this.key };
      return h("div", { class: "tour" }, [
        h("div", { class: "tour-ring", style: this.box }),
        h("div", card, [
          h("h2", { id: "tour-title" }, title),
          h("p", { id: "tour-words", "aria-live": "polite" }, words),
          h("div", { class: "row" }, buttons),
        ]),
      ]);
    }
    if (!this.offered) return null;
    return h("p", { class: "tour-offer" }, [
      "New here? ",
      this.button("Take a tour of one minute", this.begin),
      this.button("No, thanks", this.decline),
    ]);
  },
};
