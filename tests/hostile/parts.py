"""The parts of the hostile suite: functions of a number that return the text of a case and its outcome."""

from hostile.blocks import try_blocks
from hostile.commands import try_command
from hostile.engines import try_engines
from hostile.fits import try_table
from hostile.formats import try_formats
from hostile.metamorphic import try_change
from hostile.names import try_names
from hostile.representations import try_representations
from hostile.stored import try_stored_file

PARTS = {
    "tables": try_table,
    "files": try_stored_file,
    "commands": try_command,
    "names": try_names,
    "blocks": try_blocks,
    "formats": try_formats,
    "representations": try_representations,
    "metamorphic": try_change,
    "engines": try_engines,
}
