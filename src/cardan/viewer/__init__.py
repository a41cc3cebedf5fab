"""A 3D viewer in the browser: replays of logs, files that play offline, pictures and videos."""

from typing import TYPE_CHECKING

from cardan.front_doors import later
from cardan.viewer.drawing import Drawing as Drawing
from cardan.viewer.kinematics import Poses as Poses
from cardan.viewer.motion import RecordedMotion as RecordedMotion
from cardan.viewer.page import OpenToOthers as OpenToOthers
from cardan.viewer.page import check_viewing as check_viewing
from cardan.viewer.replay import Replay as Replay
from cardan.viewer.replay import view_log as view_log
from cardan.viewer.volumes import Volume as Volume

if TYPE_CHECKING:
    from cardan.viewer.batch import BatchReplay as BatchReplay
    from cardan.viewer.batch import view_batch as view_batch
    from cardan.viewer.by_hand import repeat as repeat
    from cardan.viewer.html import check_html_path as check_html_path
    from cardan.viewer.html import save_html as save_html
    from cardan.viewer.live import Live as Live
    from cardan.viewer.live import check_pace as check_pace
    from cardan.viewer.live import view_simulation as view_simulation
    from cardan.viewer.video import Camera as Camera
    from cardan.viewer.video import save_video as save_video
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "batch": "BatchReplay view_batch",
            "by_hand": "repeat",
            "html": "check_html_path save_html",
            "live": "Live check_pace view_simulation",
            "video": "Camera save_video",
        },
    )
