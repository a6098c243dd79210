// The keys of the whole page: Ctrl-Enter asks, Ctrl-Z and Ctrl-Y undo and redo what is composed, and a question that is
// pasted beside all fields is taken up. On a Mac it is Cmd. A text field has an undo of its own, and keeps it.
const WHOLE = 0.9; // of the composer is in sight, and so is Ask in it
const TEXTS = new Set(["text", "search", "number", "password", "email", "url"]);

function isText(element) {
  return element?.tagName === "TEXTAREA" || element?.isContentEditable || (element?.tagName === "INPUT" && TEXTS.has(element.type));
}

export default {
  emits: ["ask", "undo", "redo", "pasted"],
  mounted() {
    window.addEventListener("keydown", this.key);
    document.addEventListener("paste", this.paste);
    this.composer = document.querySelector(".composer");
    this.observer = new IntersectionObserver(([seen]) => {
      document.documentElement.classList.toggle("below", seen.intersectionRatio < WHOLE); // Ask stays in sight: page.css
    }, { threshold: WHOLE });
    if (this.composer) this.observer.observe(this.composer);
  },
  unmounted() {
    this.observer.disconnect();
    window.removeEventListener("keydown", this.key);
    document.removeEventListener("paste", this.paste);
  },
  methods: {
    key(event) {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      const wanted = event.key === "Enter" ? "ask" : isText(event.target) ? null : this.change(event);
      if (!wanted || event.repeat && wanted === "ask") return;
      event.preventDefault();
      this.$emit(wanted);
    },
    change(event) {
      const key = event.key.toLowerCase();
      if (key === "z") return event.shiftKey ? "redo" : "undo";
      return key === "y" && !event.shiftKey ? "redo" : null;
    },
    paste(event) {
      const text = event.clipboardData?.getData("text/plain").trim();
      if (!text || isText(event.target)) return;
      event.preventDefault();
      this.$emit("pasted", text);
    },
  },
  render() {
    return null;
  },
};
