// Stores a text in this tab, or in this browser, so that a reload or a restart of the server does not lose it.
export default {
  props: { place: { type: String, default: "" }, state: { type: String, default: "" }, lasting: Boolean },
  emits: ["restore"],
  mounted() {
    let kept = null;
    try { kept = this.storage().getItem(this.place); } catch { /* a browser that keeps nothing */ }
    if (kept && kept !== this.state) this.$emit("restore", kept);
  },
  watch: {
    state(now) {
      try { this.storage().setItem(this.place, now); } catch { /* then it is lost with the page */ }
    },
  },
  methods: {
    storage() { return this.lasting ? localStorage : sessionStorage; },
  },
  render() {
    return null;
  },
};
