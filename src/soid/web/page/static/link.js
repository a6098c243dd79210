// A link to a part of the page that is copied by a click, as a whole address for others.
import { h } from "vue";

const SHOWN = 3000; // ms

export default {
  props: { to: { type: String, default: "" }, said: { type: String, default: "" }, label: { type: String, default: "" } },
  data() {
    return { told: "" };
  },
  unmounted() {
    clearTimeout(this.later);
  },
  methods: {
    async copy(event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return; // it is opened elsewhere
      event.preventDefault();
      const whole = new URL(this.to, location.href).href;
      try {
        await navigator.clipboard.writeText(whole);
        this.tell("Copied");
      } catch { // a page that is not from this machine and not encrypted has no clipboard
        this.tell(whole);
      }
    },
    tell(text) {
      this.told = text;
      clearTimeout(this.later);
      if (text === "Copied") this.later = setTimeout(() => { this.told = ""; }, SHOWN);
    },
  },
  render() {
    return h("span", { class: "copied" }, [
      h("a", { href: this.to, class: "button small", "aria-label": this.label, onClick: this.copy }, this.said),
      h("span", { role: "status", class: "dim" }, this.told),
    ]);
  },
};
