// Sends chosen or dropped files to the server one by one, by its API.
import { h } from "vue";

export default {
  props: {
    to: { type: String, default: "" }, // the address; the file's name is appended
    accept: { type: String, default: "" },
    label: { type: String, default: "" },
  },
  emits: ["sent"],
  methods: {
    async send(files) {
      for (const file of files) {
        const told = { name: file.name, cause: "", remedy: "" };
        const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
        if (!this.accept.split(",").includes(ending)) { // the server says why
          this.$emit("sent", told);
          continue;
        }
        try {
          const answer = await fetch(`${this.to}/${encodeURIComponent(file.name)}`, {
            method: "PUT", headers: { "x-soid": "1", "content-type": "application/octet-stream" }, body: file,
          });
          if (!answer.ok) Object.assign(told, await answer.json());
        } catch {
          told.cause = "the file did not reach the server";
          told.remedy = "Is it still there? Try again.";
        }
        this.$emit("sent", { name: told.name, cause: told.cause, remedy: told.remedy });
      }
    },
    async chosen(event) {
      await this.send([...event.target.files]);
      event.target.value = ""; // the same file may be chosen again
    },
    dropped(event) {
      event.preventDefault();
      this.send([...event.dataTransfer.files]);
    },
  },
  render() {
    return h("div", { class: "upload", onDragover: (event) => event.preventDefault(), onDrop: this.dropped }, [
      h("input", { type: "file", multiple: true, accept: this.accept, "aria-label": this.label, class: "field", onChange: this.chosen }),
    ]);
  },
};
