import { type z } from 'zod';
import { parseForm } from '../../src/kit/body';
import { formFlags, formList, formText } from '../../src/kit/form';

const flags = formFlags({ keyMax: 100 });
const read = (schema: z.ZodType, text: string) => schema.safeParse(parseForm(text)['m']).data;

test.each([
  ['m[1]=true&m[3]=0', { 1: true, 3: false }],
  ['m[3]=off&m[1]=on', { 1: true, 3: false }],
  ['m[7]=1', { 7: true }],
  ['m[100]=1', { 100: true }],
])('the numbers of %s are keys to a map', (text, map) => expect(read(flags, text)).toEqual(map));

test.each([
  'm[0]=true',
  'm[]=true',
  'm=true',
  'm[101]=true',
  'm[1]=maybe',
  'm[1][2]=true',
  'm[card]=true',
  'm[01]=true',
])('a map of numbers refuses %s', (text) => expect(read(flags, text)).toBeUndefined());

test('a JSON object is such a map, a JSON array is none', () => {
  expect(flags.safeParse({ 1: true, 2: '0' }).data).toEqual({ 1: true, 2: false });
  expect(flags.safeParse([true, false]).success).toBe(false);
});

test.each(['m[1]=a&m[3]=b', 'm[]=a&m[]=b', 'm=a&m=b', 'm[0]=a&m[199]=b'])('to a list %s is two members', (text) => {
  expect(read(formList(formText()), text)).toEqual(['a', 'b']);
});

test('gaps close at every depth', () => {
  expect(parseForm('m[2][name]=x&m[5][list][4]=y')).toEqual({ m: [{ name: 'x' }, { list: ['y'] }] });
});
