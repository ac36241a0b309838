"""What v3 watches bring, put so that two servers can be compared."""
import base64
import collections
import json

PATIENCE = 15


def place(event):
    """What events of one watch are ordered by: the revision, and the key."""
    return int(event['kv']['mod_revision']), base64.b64decode(event['kv']['key'])


class View:
    """What the watches of one stream saw, apart from how the server grouped it."""

    def __init__(self, stream, creations, sorts):
        self.stream, self.creations, self.sorts = stream, creations, sorts
        self.controls, self.events, self.wrong = [], collections.defaultdict(list), []
        self.stream.head(PATIENCE)

    def created(self):
        """Reads until each creation has been answered."""
        while sum(control.get('created', False) for control in self.controls) < len(self.creations):
            if not self.read():
                return

    def read(self):
        """Reads one response; returns whether there was one."""
        line = self.stream.line(PATIENCE)
        if not line:
            self.wrong.append('nothing more came' if line is None else 'the stream ended')
            return False
        response = json.loads(line).get('result', {'no result': line.decode()})
        events = response.get('events', [])
        if not events:
            self.controls.append(response)
            return True
        revisions = [int(event['kv']['mod_revision']) for event in events]
        past = self.events[response.get('watch_id', '0')]
        if past and int(past[-1]['kv']['mod_revision']) >= revisions[0] or revisions != sorted(revisions):
            self.wrong.append(f'revisions come twice, split or out of order: {revisions}')
        if int(response['header']['revision']) < revisions[-1]:
            self.wrong.append(f'the header is behind its events: {response}')
        past.extend(sorted(events, key=place) if self.sorts else events)
        return True

    def until(self, ends):
        """Reads until every watch that lives has seen its last event; returns all that was seen."""
        while not self.wrong and not all(self.complete(number, ends) for number in range(len(self.creations))):
            if not self.read():
                break
        return {'controls': sorted(self.controls, key=lambda c: (not c.get('created'), c.get('watch_id', '0'))),
                'events': dict(sorted(self.events.items())), 'wrong': self.wrong}

    def complete(self, number, ends):
        """Whether the watch of a creation has ended, or has seen the last event that its filter lets through."""
        created = [control for control in self.controls if control.get('created')]
        if len(created) <= number:
            return False
        watch = created[number].get('watch_id', '0')
        if created[number].get('canceled') or any(control.get('canceled') and control.get('watch_id', '0') == watch
                                                  for control in self.controls):
            return True
        last = ends[0] if self.creations[number].get('filters') == ['NODELETE'] else ends[1]
        return any(int(event['kv']['mod_revision']) == last for event in self.events.get(watch, [])[-1:])
