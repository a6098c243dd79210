// Keeps the question under way in this tab: a reload, or a server that was restarted, does not lose it.
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
