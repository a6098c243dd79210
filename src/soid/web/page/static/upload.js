// Sends chosen or dropped files to the server one by one, by its API.
import { h } from "vue";

const mebibytes = (bytes) => `${Math.ceil(bytes / (1 << 20))} MiB`;

export default {
  props: {
    to: { type: String, default: "" }, // the address; the file's name is appended
    accept: { type: String, default: "" },
    label: { type: String, default: "" },
    most: { type: Number, default: 0 }, // bytes of one file; 0: the server says what is too large
    several: { type: Boolean, default: true },
  },
  emits: ["sent"],
  methods: {
    async send(files) {
      for (const file of files) {
        const told = { name: file.name, first: file === files[0], id: "", cause: "", remedy: "" };
        const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
        if (!this.accept.split(",").includes(ending)) { // the server says why
          this.$emit("sent", told);
          continue;
        }
        if (this.most && file.size > this.most) { // sent, it would end the connection, and with it the reason
          told.cause = `${file.name} is too large: ${mebibytes(file.size)}`;
          told.remedy = `At most ${mebibytes(this.most)} can be sent.`;
          this.$emit("sent", told);
          continue;
        }
        try {
          const answer = await fetch(`${this.to}/${encodeURIComponent(file.name)}`, {
            method: "PUT", headers: { "x-soid": "1", "content-type": "application/octet-stream" }, body: file,
          });
          const { id = "", cause = "", remedy = "" } = await answer.json();
          Object.assign(told, { id, cause, remedy });
        } catch {
          told.cause = "the file did not reach the server";
          told.remedy = "Is it still there? Try again.";
        }
        this.$emit("sent", told);
      }
    },
    async chosen(event) {
      await this.send([...event.target.files]);
      event.target.value = ""; // the same file may be chosen again
    },
    dropped(event) {
      event.preventDefault();
      this.send([...event.dataTransfer.files].slice(0, this.several ? undefined : 1));
    },
  },
  render() {
    return h("div", { class: "upload", onDragover: (event) => event.preventDefault(), onDrop: this.dropped }, [
      h("input", { type: "file", multiple: this.several, accept: this.accept, "aria-label": this.label, class: "field", onChange: this.chosen }),
    ]);
  },
};
