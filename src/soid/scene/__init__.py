"""The scene: a picture of a moment of the log, with a counterfactual beside it, and handles to drag actors.

A project's `[scene]` (`soid.program.scene_table`) says which variables are the position, heading, signal and presence
of each actor. `scene.py` resolves it against the program's interface, `picture.py` fills in the values of a moment,
`scene_svg.py` and `scene_text.py` draw the picture, and `handles.py` turns the place to which an actor is dragged into
values. Nothing is evaluated: the picture shows what the program perceived. `log_text.py` and `log_svg.py` draw many
steps of the log at once (`soid.scenario.log_overview`).

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.scene.picture import picture
>>> from soid.scene.scene import scene_of
>>> from soid.scene.scene_svg import svg
>>> from soid.scene.scene_text import text
>>> case = Project.open(folder("proper_response"))
>>> scene = scene_of(case.manifest)
>>> fact = case.keyframe.inputs
>>> drawing = picture(scene, fact, caption="step 5")
>>> svg(drawing)[:4], len(text(drawing, width=80).splitlines()) > 3
('<svg', True)
"""
