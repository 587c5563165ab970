"""Table retrieval for agents and other programs: an MCP server, and retrievers of LangChain and LlamaIndex.

Beside what they share, each module needs a package that an extra installs: ``mcp``, ``langchain`` or ``llama_index``.
"""
