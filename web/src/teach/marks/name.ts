// The name under which a teacher marks and answers, kept in this browser.
const KEPT = "osler.teacher";

export const teacherName = () => localStorage.getItem(KEPT) ?? "";
export const keepTeacherName = (name: string) => localStorage.setItem(KEPT, name.trim());
