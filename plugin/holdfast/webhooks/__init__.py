"""Webhooks: what happens in sessions is posted to addresses that the user chose, by background work only.

The journals say what happened (`events`), the outbox has what is still to be posted (`outbox`), and one process at a
time posts it (`sender`). Nothing here is imported where the user configured no webhook.
"""
