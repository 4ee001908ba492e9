export function referencePages(load: (path: string) => Promise<object>): Promise<Map<string, string>>;
