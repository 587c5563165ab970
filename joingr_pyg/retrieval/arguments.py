"""Checks of what a retriever is given: each other kind of value is refused in one sentence."""

from collections.abc import Sequence

from joingr_pyg.encoders import Encoder, require_question
from joingr_pyg.errors import JoinGRError, require_several
from joingr_pyg.models import TrainableRetriever
from joingr_pyg.schema import Database


def questions_of(questions: Sequence[str], method: str) -> list[str]:
    """A list of questions that all have something to embed.

    Args:
        questions: The questions, which may come from a generator.
        method: Name of the method that was given them, for messages.

    Raises:
        JoinGRError: If they are no list, or one of them is blank or no text.
    """
    if isinstance(questions, str):
        raise JoinGRError(f"{method} takes a list of questions (got the text {questions!r:.60}): put it in brackets.")
    require_several("questions", questions=questions)
    return [require_question(question) for question in questions]


def schemas_of(databases: Sequence[Database] | Database) -> list[Database]:
    """A list of schemas; a single one is a list of one.

    Raises:
        JoinGRError: If they are no list, or one of them is no schema.
    """
    if isinstance(databases, Database):
        return [databases]
    require_several("schemas", databases=databases)
    schemas = list(databases)
    other = next((schema for schema in schemas if not isinstance(schema, Database)), None)
    if other is not None:
        raise JoinGRError(f"'databases' needs to be a list of schemas, as read_ddl returns them (got {other!r:.60}).")
    return schemas


def require_encoder_object(encoder: Encoder | None) -> None:
    """Check that an encoder is one, and not the name or the class of one.

    Raises:
        JoinGRError: If it is anything else.
    """
    if encoder is not None and (isinstance(encoder, type) or not hasattr(encoder, "encode_queries")):
        raise JoinGRError(f"'encoder' needs to be an encoder, such as MiniLMEncoder() (got {encoder!r:.60}).")


def require_model(model: TrainableRetriever | None) -> None:
    """Check that a model is one, and not its name or class.

    Raises:
        JoinGRError: If it is anything else.
    """
    if model is not None and not isinstance(model, TrainableRetriever):
        raise JoinGRError(f"'model' needs to be a model, such as joingr_pyg.models.heuristic() (got {model!r:.60}).")


def require_same_width(model: TrainableRetriever, encoder: Encoder, width: int) -> None:
    """Check that a model takes vectors of the length that an encoder makes.

    Args:
        model: The model; one without weights takes any.
        encoder: The encoder.
        width: Length of its vectors.

    Raises:
        JoinGRError: If it takes others.
    """
    channels = model.arguments.get("channels")
    if channels and channels != width:
        raise JoinGRError(
            f"The model takes vectors of {channels} numbers, and those of encoder {encoder.name!r} have {width}: "
            "use the encoder that the model was trained with."
        )
