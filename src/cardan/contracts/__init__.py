"""What an author must satisfy: messages, models, tasks, and the checks that prove it."""

from cardan.contracts.fields import Position as Position
from cardan.contracts.message import message as message
from cardan.contracts.model import model as model
from cardan.contracts.model import output as output
from cardan.contracts.task import task as task
