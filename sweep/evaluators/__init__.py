"""RAG evaluators with the call signatures of the Azure AI Evaluation SDK."""

from sweep.evaluators.document_retrieval import DocumentRetrievalEvaluator
from sweep.evaluators.inputs import EvaluatorInputError

__all__ = ["DocumentRetrievalEvaluator", "EvaluatorInputError"]
