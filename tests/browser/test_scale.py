"""Pages of large cases, and what every page costs."""

from __future__ import annotations

MOST = 600_000  # bytes that a browser takes for its first page


def test_a_first_page_is_small(opening, copied):
    page = opening(locale="en-GB")  # a browser session of its own, which has kept nothing
    client = page.context.new_cdp_session(page)
    client.send("Network.enable")
    client.send("Network.setCacheDisabled", {"cacheDisabled": True})
    received: list[float] = []
    client.on("Network.loadingFinished", lambda finished: received.append(finished["encodedDataLength"]))
    page.goto(f"{page.url}case/{copied('crash-standard')}")
    page.wait_for_function("() => window.did_handshake")
    assert 0 < sum(received) < MOST
