// The address of the page holds what it shows. Another moment or another entry is a place to go back to; while one drags
// through a log, only where one began and where one stopped.
const STILL = 1000; // ms: a further move that follows sooner is the same one

function place(address) {
  const said = new URLSearchParams(address);
  said.delete("ask"); // what is composed can be undone: it is no place of its own
  return said.toString();
}

export default {
  props: { address: { type: String, default: "" }, round: { type: Number, default: 0 } },
  emits: ["went"],
  mounted() {
    this.moved = -STILL;
    this.here = place(this.address);
    this.write(false);
    window.addEventListener("popstate", this.went);
  },
  unmounted() {
    window.removeEventListener("popstate", this.went);
  },
  watch: {
    round() {
      const now = place(this.address);
      const moves = now !== this.here;
      this.write(moves && (performance.now() - this.moved > STILL || now.startsWith("entry=") || this.here.startsWith("entry=")));
      if (moves) this.moved = performance.now();
      this.here = now;
    },
  },
  methods: {
    write(anew) {
      const wanted = this.address && `?${this.address}`;
      if (wanted === location.search) return;
      const whole = location.pathname + wanted + location.hash;
      if (anew) history.pushState(history.state, "", whole);
      else history.replaceState(history.state, "", whole);
    },
    went() {
      this.here = place(location.search);
      this.$emit("went", location.search);
    },
  },
  render() {
    return null;
  },
};
