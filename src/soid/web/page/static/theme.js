// Light or dark: the reader's own choice, kept in the browser; else what the system prefers.
import { h } from "vue";

const KEY = "soid-theme";
const NAMES = { auto: "automatic", light: "light", dark: "dark" };

function apply(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function kept() {
  try {
    const found = localStorage.getItem(KEY);
    return found in NAMES ? found : "auto";
  } catch {
    return "auto"; // a browser without storage
  }
}

export default {
  data() {
    return { theme: kept() };
  },
  mounted() {
    apply(this.theme);
  },
  methods: {
    choose(event) {
      this.theme = event.target.value;
      apply(this.theme);
      try { localStorage.setItem(KEY, this.theme); } catch { /* then it is for this page alone */ }
    },
  },
  render() {
    const options = Object.entries(NAMES).map(([value, label]) =>
      h("option", { value, key: value, selected: value === this.theme }, `Colours: ${label}`));
    return h("select", { class: "field", "aria-label": "Colours of the page", value: this.theme, onChange: this.choose }, options);
  },
};
