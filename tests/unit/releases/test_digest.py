import hashlib

from dpwerm.releases.files import digest_of


def test_it_is_sha_256_of_the_canonical_text_without_the_digest_itself() -> None:
    text = '{"a":[1,2.5,null],"b":"\\u03b3"}'
    expected = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    assert digest_of({"b": "γ", "a": [1, 2.5, None], "digest": "x"}) == expected
    assert digest_of({"a": [1, 2.5, None], "b": "γ"}) == expected
    assert digest_of({"a": [2.5, 1, None], "b": "γ"}) != expected
