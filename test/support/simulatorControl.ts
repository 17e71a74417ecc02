import { z } from 'zod';

const Registered = z.object({ app: z.string(), fields: z.record(z.string(), z.unknown()) });
const Bought = z.object({ id: z.string(), phase: z.string(), receipt: z.record(z.string(), z.string()) });

/** The calls with which users control `npm run store-simulator`. */
export function controlOf(url: string) {
  const post = async (path: string, fields: object = {}) => {
    const answer = await fetch(`${url}/simulator/${path}`, { method: 'POST', body: JSON.stringify(fields) });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    post,
    register: async (store: string) => Registered.parse((await post('apps', { store })).body),
    buy: async (order: object) => Bought.parse((await post('purchases', order)).body),
    happen: (id: string, deed: string, fields: object = {}) => post(`purchases/${id}/${deed}`, fields),
  };
}
