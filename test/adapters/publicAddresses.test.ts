import { type LookupAddress } from 'node:dns';
import { checkedLookup, isPublicAddress, PrivateAddressError, type Resolve } from '../../src/adapters/publicAddresses';

test.each([
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'shared by a carrier’s customers'],
  ['100.127.255.255', 'shared by a carrier’s customers'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'a cloud’s metadata'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'a cloud’s metadata'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'benchmarks'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback, spelled out'],
  ['::ffff:127.0.0.1', 'loopback inside IPv6'],
  ['::ffff:7f00:1', 'the same in hexadecimal'],
  ['::ffff:93.184.216.34', 'any IPv4 inside IPv6'],
  ['::127.0.0.1', 'IPv4 inside IPv6, the old way'],
  ['64:ff9b::7f00:1', 'loopback behind a translator'],
  ['2002:7f00:1::', 'loopback in a tunnel'],
  ['2001:0:7f00:1::', 'a tunnel'],
  ['2001:db8::1', 'documentation'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'a cloud’s metadata'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with its link'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
  ['example.org', 'no address'],
  ['', 'nothing'],
])('%s is not for everyone: %s', (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200e',
])('%s is for everyone', (address) => expect(isPublicAddress(address)).toBe(true));

describe('the lookup of a connection', () => {
  const found = (...addresses: string[]): LookupAddress[] =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  const lookUp = (resolve: Resolve, all: boolean) =>
    new Promise((settle) => {
      const options = { all } as { all: true };
      checkedLookup(resolve, isPublicAddress)('hooks.example', options, (error, ...answer) => settle(error ?? answer));
    });

  test('answers what it was told, one or all', async () => {
    const resolve = () => Promise.resolve(found('1.1.1.1', '2606:4700:4700::1111'));
    expect(await lookUp(resolve, true)).toEqual([found('1.1.1.1', '2606:4700:4700::1111')]);
    expect(await lookUp(resolve, false)).toEqual(['1.1.1.1', 4]);
  });

  test('looks each time: a name that is public first and then is not gains nothing', async () => {
    const answers = [found('1.1.1.1'), found('127.0.0.1')];
    const resolve = () => Promise.resolve(answers.shift() ?? []);
    expect(await lookUp(resolve, true)).toEqual([found('1.1.1.1')]);
    expect(await lookUp(resolve, true)).toBeInstanceOf(PrivateAddressError);
  });

  test('refuses all when one of them is inside, and when there is none', async () => {
    for (const addresses of [['1.1.1.1', '10.0.0.1'], ['::1', '2606:4700:4700::1111'], []])
      expect(await lookUp(() => Promise.resolve(found(...addresses)), true)).toBeInstanceOf(PrivateAddressError);
  });

  test('passes on that a name is unknown', async () => {
    const unknown = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' });
    expect(await lookUp(() => Promise.reject(unknown), false)).toBe(unknown);
  });
});
