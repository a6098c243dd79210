// The user's name, under which entries are made; stored in this browser.
import { h } from "vue";

const KEY = "soid-who";

export default {
  props: { name: { type: String, default: "" } },
  emits: ["name"],
  data() {
    return { text: this.name };
  },
  mounted() {
    let kept = null;
    try { kept = localStorage.getItem(KEY); } catch { /* a browser that keeps nothing */ }
    if (kept) {
      this.text = kept;
      this.$emit("name", kept);
    }
  },
  methods: {
    typed(event) {
      this.text = event.target.value; // else whatever else changes on the page would put the old name back
    },
    changed(event) {
      this.text = event.target.value;
      try { localStorage.setItem(KEY, this.text); } catch { /* then it is for this page alone */ }
      this.$emit("name", this.text);
    },
  },
  render() {
    return h("input", {
      class: "field who", type: "text", value: this.text, "aria-label": "Your name, as the record has it",
      title: "Your name, as the record has it", autocomplete: "name", onInput: this.typed,
      onChange: this.changed,
    });
  },
};
