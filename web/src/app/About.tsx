export default function About() {
  return (
    <article className="stack" style={{ maxWidth: "42rem" }}>
      <h1>About Osler</h1>
      <p>
        Osler simulates clinical encounters: consultations, standardized-patient stations and teaching ward rounds. It is
        made by the Osler project, which is open source, for education and research only. It is no health service and no
        medical device, and nothing it says is advice for a real person.
      </p>
      <p>
        The patients, doctors and tutors you meet are played by programs, by language models, or by other people. Before
        your first word you are told which, who marks the encounter, and which computers receive what you write.
      </p>
      <p>Please never enter anything about a real patient.</p>
      <h2>Keys</h2>
      <p>
        Everything works with a keyboard. Tab goes from one thing to the next, Enter presses it, Escape closes a window.
        In a conversation Enter sends your words, and Shift and Enter together begin a new line.
      </p>
      <h2>Licences</h2>
      <p>
        Osler is under the MIT licence. The lettering is Nunito, under the SIL Open Font License 1.1. The pages are built
        with React, React Aria Components and TanStack Query.
      </p>
    </article>
  );
}
