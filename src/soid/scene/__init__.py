"""The scene: a moment of the log as a picture, and a counterfactual beside it; handles that move what is drawn.

A project's `[scene]` (`soid.program.scene_table`) says which variables are whose position, heading, signal and
presence. `scene.py` puts it together with the program's interface, `picture.py` reads the values of a moment into it,
`svg/` and `scene_text.py` draw the picture, and `handles.py` turns a place to which something is dragged into values.
Nothing is evaluated; who is drawn, and where, is what the program perceived.

>>> from soid.case.project import Project
>>> from soid.examples import folder
>>> from soid.scene.picture import picture
>>> from soid.scene.scene import scene_of
>>> from soid.scene.scene_svg import svg
>>> from soid.scene.scene_text import text
>>> project = Project.open(folder("proper_response"))
>>> scene = scene_of(project.manifest)
>>> fact = project.keyframe.inputs
>>> drawing = picture(scene, fact, caption="step 5")
>>> svg(drawing)[:4], len(text(drawing, width=80).splitlines()) > 3
('<svg', True)
"""
