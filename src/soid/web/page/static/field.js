// A native form field: what is typed stays as typed while the page around it changes.
import { h } from "vue";

export default {
  props: {
    kind: { type: String, default: "text" }, // text, search, textarea, select, checkbox
    value: { type: String, default: "" },
    checked: Boolean,
    options: { type: Array, default: () => [] }, // of a select: [value, label]
    label: { type: String, default: "" }, // for screen readers
    placeholder: { type: String, default: "" },
    invalid: Boolean,
    describedby: { type: String, default: "" },
    disabled: Boolean,
    focused: Boolean, // it takes the keyboard when it appears, or when its text is replaced
    pastes: Boolean, // what is pasted is told by itself
    asks: Boolean, // Ctrl-Enter is its own; otherwise that is the page's
    round: { type: Number, default: 0 }, // grows when the server replaces the text, whatever was typed
  },
  emits: ["input", "change", "enter", "pasted"],
  data() {
    return { text: this.value, on: this.checked };
  },
  created() {
    this.told = []; // texts sent to the server, in order; it may echo them late
  },
  mounted() {
    if (this.focused) this.$el.focus();
  },
  watch: {
    value(now) {
      const said = this.told.indexOf(now);
      this.told = said < 0 ? [] : this.told.slice(said + 1);
      if (!this.told.length) this.text = now;
    },
    round() {
      this.told = [];
      this.text = this.value;
      if (this.focused) this.$el.focus();
    },
    checked(now) { this.on = now; },
  },
  methods: {
    typed(event) {
      this.text = event.target.value;
      this.told.push(this.text);
      if (this.pastes && event.inputType === "insertFromPaste") this.$emit("pasted", { what: this.what, text: this.text });
      else this.$emit("input", this.text);
    },
    pasted(event) {
      this.what = event.clipboardData?.getData("text/plain") ?? "";
    },
    settled(event) {
      this.text = event.target.value;
      this.$emit("change", this.text);
    },
    ticked(event) {
      this.on = event.target.checked;
      this.$emit("change", this.on);
    },
    key(event) {
      if (event.key !== "Enter" || this.kind === "textarea") return;
      const held = event.ctrlKey || event.metaKey;
      if (held && !this.asks) return;
      if (held) event.preventDefault();
      this.$emit("enter", this.text);
    },
  },
  render() {
    const shared = {
      "aria-label": this.label || undefined,
      "aria-invalid": this.invalid ? "true" : undefined,
      "aria-describedby": this.describedby || undefined,
      disabled: this.disabled || undefined,
      class: "field",
    };
    if (this.kind === "checkbox") return h("input", { ...shared, type: "checkbox", checked: this.on, onChange: this.ticked });
    if (this.kind === "select") {
      const options = this.options.map(([value, label]) => h("option", { value, key: value, selected: value === this.text }, label));
      return h("select", { ...shared, value: this.text, onChange: this.settled }, options);
    }
    const typing = { ...shared, value: this.text, placeholder: this.placeholder, onInput: this.typed, onPaste: this.pasted, onKeydown: this.key };
    if (this.kind === "textarea") return h("textarea", { ...typing, rows: 2, spellcheck: "false" });
    return h("input", { ...typing, type: this.kind, autocomplete: "off", spellcheck: "false" });
  },
};
