import fc from 'fast-check';
import { hostOfUrl, networkOf, readDomain } from '../../src/kit/hosts';

describe('the host of an Origin or a Referer', () => {
  test.each([
    ['https://Example.ORG', 'example.org'],
    ['https://www.example.org:8443/watch?id=1', 'www.example.org'],
    ['http://example.org./', 'example.org'],
    ['https://bücher.example', 'xn--bcher-kva.example'],
    ['capacitor://localhost', 'localhost'],
    ['https://user@example.org', 'example.org'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
  ])('%s: %s', (url, host) => expect(hostOfUrl(url)).toBe(host));

  test.each([
    undefined,
    '',
    'null',
    'example.org',
    'https://',
    'file:///page.html',
    'https://a b.example',
    '//x.example',
  ])('none: %s', (url) => expect(hostOfUrl(url)).toBeUndefined());

  test('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof hostOfUrl(text) !== 'number'));
  });
});

describe('the domain that somebody types', () => {
  test.each([
    ['Example.ORG', 'example.org'],
    [' example.org ', 'example.org'],
    ['*.example.org', 'example.org'],
    ['https://*.example.org/', 'example.org'],
    ['example.org:443', 'example.org'],
    ['example.org.', 'example.org'],
    ['https://www.example.org/page?x=1#y', 'www.example.org'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['localhost:3000', 'localhost'],
    ['http://127.0.0.1:8080', '127.0.0.1'],
    ['my_cdn.example.org', 'my_cdn.example.org'],
  ])('%s: %s', (typed, host) => expect(readDomain(typed)).toBe(host));

  test('what is read is read again as the same', () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        const host = readDomain(domain);
        expect(host).toBe(domain.toLowerCase());
        expect(readDomain(`https://*.${domain}:8443/page`)).toBe(host);
      }),
    );
  });

  test('never throws, and gives nothing but ASCII in lower case', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => /^[a-z0-9._-]+$/.test(readDomain(text) ?? 'none')));
  });
});

describe('the network of an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8:1:2:0:0:0:3', '2001:db8:1:2'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('%s: %s', (address, network) => expect(networkOf(address)).toBe(network));
});
