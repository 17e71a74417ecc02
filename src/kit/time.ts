/** Unix seconds, as the wire has them; 0 where there is no instant, because old clients decode integers. */
export function unixSeconds(instant: Date | null): number {
  return instant === null ? 0 : Math.floor(instant.getTime() / 1000);
}
