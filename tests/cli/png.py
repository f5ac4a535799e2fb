"""A reader of PNG files, by the book: what the program writes must be this."""

import struct
import zlib


class Png:
    """Eight bits of red, green and blue; rows of pixels, each a tuple of three."""

    def __init__(self, data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        kinds, compressed, at = [], b"", 8
        while at < len(data):
            size, kind = struct.unpack_from(">I4s", data, at)
            payload = data[at + 8:at + 8 + size]
            assert len(payload) == size
            assert struct.unpack_from(">I", data, at + 8 + size)[0] == zlib.crc32(kind + payload)
            at += 12 + size
            kinds.append(kind)
            if kind == b"IHDR":
                self.width, self.height, *rest = struct.unpack(">IIBBBBB", payload)
                assert rest == [8, 2, 0, 0, 0]
            elif kind == b"IDAT":
                compressed += payload
        assert at == len(data) and kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
        unpacked = zlib.decompressobj()
        raw = unpacked.decompress(compressed)
        assert unpacked.eof and not unpacked.unused_data
        self.filters = set()
        self.rows = self.unfilter(raw)

    def unfilter(self, raw):
        stride = 3 * self.width
        assert len(raw) == (stride + 1) * self.height
        rows, above = [], bytes(stride)
        for y in range(self.height):
            kind = raw[y * (stride + 1)]
            row = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
            self.filters.add(kind)
            for i in range(stride):
                a = row[i - 3] if i >= 3 else 0
                b = above[i]
                c = above[i - 3] if i >= 3 else 0
                row[i] = row[i] + self.expected(kind, a, b, c) & 255
            above = bytes(row)
            rows.append([tuple(above[i:i + 3]) for i in range(0, stride, 3)])
        return rows

    @staticmethod
    def expected(kind, a, b, c):
        if kind < 4:
            return (0, a, b, (a + b) // 2)[kind]
        assert kind == 4
        distances = abs(b - c), abs(a - c), abs(a + b - 2 * c)
        return (a, b, c)[distances.index(min(distances))]
