export function say(line: string): void {
  console.log(line);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
