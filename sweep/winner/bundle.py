"""Where the commands that are suggested put the bundle of a study."""


def bundle_folder(study: str) -> str:
    """Return the folder that a study's bundle is suggested to go to: each study has its own."""
    return f"winner/{study}"
