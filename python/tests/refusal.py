"""What is refused: the classes of an exception and its stable code."""

from contextlib import contextmanager

import pytest
from strideview import StrideviewError


@contextmanager
def refused(code, *classes):
    """The block raises one error of strideview, with this code, that is an instance of every class."""
    with pytest.raises(StrideviewError) as caught:
        yield caught
    assert caught.value.code == code
    for wanted in classes:
        assert isinstance(caught.value, wanted)
    assert str(caught.value)
