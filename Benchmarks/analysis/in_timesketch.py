"""What Timesketch's own importer makes of exports, without a server.

    python in_timesketch.py FILE...

Prints the number of events that are uploaded, and ends with 1 where an event is refused or a key of it is changed.
"""
import json
import sys

from timesketch_import_client import importer


class Server:
    """Takes the place of a sketch and of its server, and keeps what is uploaded."""
    id, api_root, status_code = 1, "", 200

    def __init__(self):
        self.api = self.session = self
        self.events = []

    def post(self, _, data, files):
        self.events += map(json.loads, files["events"][1].splitlines())
        return self

    def json(self):
        return {"objects": [{"id": 1}], "meta": {}}


def uploaded(path):
    server, streamer = Server(), importer.ImportStreamer()
    streamer.set_sketch(server)
    streamer.set_index_name("histctl")
    streamer.add_file(path)
    streamer.flush()
    return server.events


def main(paths):
    count = 0
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            written = [json.loads(line) for line in lines]
        events = uploaded(path)
        if len(events) != len(written):
            sys.exit(f"{path}: {len(written)} events, of which {len(events)} are uploaded")
        for event, own in zip(events, written):
            changed = [key for key in own if event.get(key) != own[key]]
            if changed:
                sys.exit(f"{path}: Timesketch changes {', '.join(changed)} of {json.dumps(own)}")
        count += len(events)
    print(count)


if __name__ == "__main__":
    main(sys.argv[1:])
