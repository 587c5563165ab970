"""Downloads over HTTP: one file with resume, or single members of a large remote zip archive."""

from joingr_pyg.download.archive import fetch_zip_members
from joingr_pyg.download.file import fetch_file

__all__ = ["fetch_file", "fetch_zip_members"]
