"""scripts/rooms finds what it is there to find, in copies of the tree with a fault planted in each."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(tree):
    done = subprocess.run([sys.executable, os.path.join(tree, 'scripts/rooms')], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = folder.name
        for part in ('src', 'cli', 'include'):
            shutil.copytree(os.path.join(ROOT, part), os.path.join(self.tree, part))
        os.makedirs(os.path.join(self.tree, 'scripts'))
        shutil.copy(os.path.join(ROOT, 'scripts/rooms'), os.path.join(self.tree, 'scripts/rooms'))

    def write(self, path, text):
        with open(os.path.join(self.tree, path), 'a') as file:
            file.write(text)

    def header_of(self, room):
        """A header of the room, as an #include line names it."""
        folder = os.path.join(self.tree, 'src', room)
        return room + '/' + min(name for name in os.listdir(folder) if name.endswith('.h'))

    def refused(self, *words):
        code, said = run(self.tree)
        self.assertEqual(code, 1, said)
        for word in words:
            self.assertIn(word, said)

    def test_include_of_a_room_below(self):
        source = 'src/' + self.header_of('base')
        with open(os.path.join(self.tree, source)) as file:
            line = len(file.readlines()) + 1
        self.write(source, '#include "%s"\n' % self.header_of('model'))
        self.refused('%s:%d:' % (source, line), self.header_of('model'))

    def test_include_of_another_family(self):
        self.write('src/' + self.header_of('format/zarr/meta'), '#include "%s"\n' % self.header_of('format/bcolz'))
        self.refused(self.header_of('format/bcolz'))

    def test_folder_that_is_no_room(self):
        os.makedirs(os.path.join(self.tree, 'src/attic'))
        self.write('src/attic/chest.h', '#pragma once\n')
        self.refused('src/attic/chest.h')

    def test_source_without_a_header(self):
        self.write('src/base/of_no_header.cc', '')
        self.refused('src/base/of_no_header.cc')


if __name__ == '__main__':
    unittest.main()
