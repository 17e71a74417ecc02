import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The part of MaxMind's City format that is used here. */
export interface CityRecord {
  country: { iso_code: string };
  subdivisions: { iso_code: string }[];
  city?: { names: { en: string } };
}

/**
 * Writes a database in MaxMind's format: single IPv4 addresses and what is known of them. `ipVersion` 4 for one that knows
 * no IPv6, which answers nonsense when it is asked for one.
 */
export function writeGeoDatabase(records: Record<string, CityRecord>, ipVersion: 4 | 6 = 6): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'geo-')), 'cities.mmdb');
  const parts: Buffer[] = [];
  const offsets = new Map<string, number>();
  let length = 0;
  for (const [address, record] of Object.entries(records)) {
    offsets.set(address, length);
    const bytes = encode(record);
    parts.push(bytes);
    length += bytes.length;
  }
  const { tree, nodeCount } = buildTree(offsets, ipVersion);
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-City',
    description: {},
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  };
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  writeFileSync(file, Buffer.concat([tree, Buffer.alloc(16), ...parts, marker, encode(metadata)]));
  return file;
}

type Branch = [Branch | number | undefined, Branch | number | undefined];

/** Two records of 24 bits a node: the next node, or beyond the nodes a place in the data, or nothing. */
function buildTree(offsets: ReadonlyMap<string, number>, ipVersion: 4 | 6) {
  const root: Branch = [undefined, undefined];
  const nodes: Branch[] = [root];
  for (const [address, offset] of offsets) {
    const bits = bitsOf(address, ipVersion);
    let node = root;
    for (const bit of bits.slice(0, -1)) {
      const next = node[bit] ?? ([undefined, undefined] satisfies Branch);
      if (typeof next === 'number') throw new Error('two networks overlap');
      if (node[bit] === undefined) nodes.push(next);
      node[bit] = next;
      node = next;
    }
    node[bits.at(-1) ?? 0] = offset;
  }
  const tree = Buffer.alloc(nodes.length * 6);
  const valueOf = (record: Branch | number | undefined) => {
    if (record === undefined) return nodes.length;
    return typeof record === 'number' ? nodes.length + 16 + record : nodes.indexOf(record);
  };
  nodes.forEach((node, index) =>
    node.forEach((record, side) => tree.writeUIntBE(valueOf(record), index * 6 + side * 3, 3)),
  );
  return { tree, nodeCount: nodes.length };
}

function bitsOf(address: string, ipVersion: 4 | 6): (0 | 1)[] {
  const bytes = address.split('.').map(Number);
  const bits = bytes.flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map((bit) => (bit === '1' ? 1 : 0)));
  return ipVersion === 6 ? [...new Array<0>(96).fill(0), ...bits] : bits;
}

type Value = string | number | Value[] | { [name: string]: Value };

/** The setting of an installation that recognizes regions and cities. */
export function withCities(): { GEOIP_DATABASE: string } {
  const somewhere = { country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'CA' }] };
  return { GEOIP_DATABASE: writeGeoDatabase({ '203.0.113.1': somewhere }) };
}

function encode(value: unknown): Buffer {
  return encodeValue(value as Value);
}

function encodeValue(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, 4), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encodeValue)]);
  const members = Object.entries(value).filter(([, member]) => (member as Value | undefined) !== undefined);
  return Buffer.concat([
    control(7, members.length),
    ...members.flatMap(([name, member]) => [encodeValue(name), encodeValue(member)]),
  ]);
}

function control(type: number, size: number): Buffer {
  const [large, extra] = size < 29 ? [size, []] : [29, [size - 29]];
  return type < 8 ? Buffer.from([(type << 5) | large, ...extra]) : Buffer.from([large, type - 7, ...extra]);
}
