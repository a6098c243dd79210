// Stores the draft of a question in this tab, so that a reload or a restart of the server does not lose it.
export default {
  props: { place: { type: String, default: "" }, state: { type: String, default: "" } },
  emits: ["restore"],
  mounted() {
    let kept = null;
    try { kept = sessionStorage.getItem(this.place); } catch { /* a browser that keeps nothing */ }
    if (kept && kept !== this.state) this.$emit("restore", kept);
  },
  watch: {
    state(now) {
      try { sessionStorage.setItem(this.place, now); } catch { /* then it is lost with the page */ }
    },
  },
  render() {
    return null;
  },
};
