/** One request to a store, with a time limit. `at` is the store's own present. */
export interface Asked {
  status: number;
  text: string;
  at: Date;
}

export async function askStore(url: string, timeoutMs: number, init: RequestInit = {}): Promise<Asked> {
  const answer = await fetch(url, { redirect: 'error', ...init, signal: AbortSignal.timeout(timeoutMs) });
  const told = Date.parse(answer.headers.get('date') ?? '');
  return { status: answer.status, text: await answer.text(), at: new Date(Number.isNaN(told) ? Date.now() : told) };
}
