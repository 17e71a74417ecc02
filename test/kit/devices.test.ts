import { deviceOf } from '../../src/kit/devices';

test.each([
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    { type: 'mobile', os: 'iOS', model: 'iPhone' },
  ],
  [
    'Mozilla/5.0 (Linux; Android 13; SM-S911B Build/TP1A.220624.014) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0 Mobile Safari/537.36',
    { type: 'mobile', os: 'Android', model: 'SM-S911B' },
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
    { type: 'mobile', os: 'Android', model: '' },
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36',
    { type: 'desktop', os: 'Windows', model: '' },
  ],
  ['Roku/DVP-12.5 (12.5.0.4178-88)', { type: 'tv', os: 'Roku OS', model: 'Roku' }],
  ['Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36', { type: 'tv', os: 'webOS', model: '' }],
  ['curl/8.5.0', { type: 'other', os: '', model: '' }],
  ['', { type: '', os: '', model: '' }],
  [undefined, { type: '', os: '', model: '' }],
])('%j', (userAgent, device) => expect(deviceOf(userAgent)).toEqual(device));
